import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { ApiError } from '../../../common/errors';
import { isStorable } from '../../../common/postgres-text';
import { beginningOf, isBoundedBody } from './body-bounds';
import { withExactAmounts } from './exact-amounts';
import { hide, membersOf } from './field.decorators';
import { invalidRequest, unknownMember } from './field-errors';

// The validator's errors go to `invalidRequest`, which needs the class.
const SHARED: ValidationPipeOptions = {
  transform: true,
  whitelist: true,
  validationError: { target: true, value: false },
  exceptionFactory: invalidRequest,
};

/** The time to go through them grows with the square of their number. */
const MAX_QUERY_PARAMETERS = 100;

/**
 * The one global pipe: bodies may hold only what is documented, unknown query parameters are ignored. Synchronous where
 * there is nothing to check.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  private readonly queries = new ValidationPipe(SHARED);
  private readonly bodies = new ValidationPipe({ ...SHARED, forbidNonWhitelisted: true });
  private readonly defaults = new Map<ArgumentMetadata['metatype'], unknown>();
  private readonly untouched = new Map<ArgumentMetadata['metatype'], string[][]>();

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type === 'body') return this.body(value, metadata);
    if (metadata.type === 'query') return this.query(value as object, metadata);
    // No id of ours holds what Postgres cannot even compare.
    if (metadata.type === 'param' && !isStorable(String(value))) throw new ApiError('not_found');
    return value;
  }

  private async body(given: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const value = objectIn(given === undefined ? absentBody(metadata) : given);
    const prototype = metadata.metatype?.prototype as object | undefined;
    const paths = this.untouchedPaths(metadata);
    for (const path of paths) if (!isBoundedBody(valueAt(value, path))) throw tooMuch(path.join('.'));
    const { body, isWhole } = beginningOf(hideAll(value, paths));
    const inherited = inheritedMember(body, prototype);
    if (inherited !== undefined) throw unknownMember(inherited);
    // Problems of the beginning are reported like those of any other body.
    const checked: unknown = await this.bodies.transform(
      isWhole ? hideAll(withExactAmounts(value), paths) : body,
      metadata,
    );
    if (!isWhole) throw tooMuch();
    return checked;
  }

  private untouchedPaths({ metatype }: ArgumentMetadata): string[][] {
    const known = this.untouched.get(metatype);
    if (known !== undefined) return known;
    const paths = membersOf((metatype?.prototype as object | undefined) ?? null)
      .filter(({ isUntouched }) => isUntouched)
      .map(({ path }) => path);
    this.untouched.set(metatype, paths);
    return paths;
  }

  /** Most reads say nothing in their query, which comes out the same each time: made once, and then never changed. */
  private query(value: object, metadata: ArgumentMetadata): unknown {
    const count = Object.keys(value).length;
    if (count > MAX_QUERY_PARAMETERS)
      throw new ApiError('invalid_request', {
        message: `The query has ${count} parameters; at most ${MAX_QUERY_PARAMETERS} are taken.`,
      });
    const isEmpty = count === 0;
    return (isEmpty ? this.defaults.get(metadata.metatype) : undefined) ?? this.checkedQuery(value, metadata, isEmpty);
  }

  private async checkedQuery(value: object, metadata: ArgumentMetadata, isEmpty: boolean): Promise<unknown> {
    const checked: unknown = await this.queries.transform(value, metadata);
    if (isEmpty) this.defaults.set(metadata.metatype, Object.freeze(checked));
    return checked;
  }
}

function objectIn(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new ApiError('invalid_request', { message: 'The body must be a JSON object.' });
}

/** Where no member is needed, no body is needed either. */
function absentBody({ metatype }: ArgumentMetadata): object {
  if ((metatype as { mayBeAbsent?: boolean } | undefined)?.mayBeAbsent === true) return {};
  throw new ApiError('invalid_json', { message: 'The body is empty; it must be a JSON object.' });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), body);
}

/** The body with the values at these paths hidden from all that goes through it on the way to its class. */
function hideAll(body: object, paths: readonly string[][]): object {
  return paths.reduce<object>(
    (rest, path) => (valueAt(rest, path) === undefined ? rest : (hideAt(rest, path) as object)),
    body,
  );
}

function hideAt(value: unknown, [name, ...path]: readonly string[]): unknown {
  return name === undefined
    ? hide(value)
    : { ...(value as object), [name]: hideAt((value as Record<string, unknown>)[name], path) };
}

function tooMuch(param?: string): ApiError {
  return new ApiError('invalid_request', {
    message: `The body holds more than any request of this service takes${param === undefined ? '' : `, in ${param}`}.`,
    param,
  });
}

/**
 * A member named like something every object has, or like a method of ours: the validator looks rules up by name, finds
 * that and takes the member for a documented one.
 */
function inheritedMember(body: object, prototype: object = Object.prototype): string[] | undefined {
  const own = Object.keys(body).find((key) => key in prototype);
  if (own !== undefined) return [own];
  for (const [key, member] of Object.entries(body) as [string, unknown][]) {
    const inner = isObject(member) ? Object.keys(member).find((name) => name in Object.prototype) : undefined;
    if (inner !== undefined) return [key, inner];
  }
  return undefined;
}

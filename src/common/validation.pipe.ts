import { ValidationPipe, type ArgumentMetadata, type ValidationError, type ValidationPipeOptions } from '@nestjs/common';
import { ApiError } from './errors';
import { isStorable } from './text';

const SHARED: ValidationPipeOptions = { transform: true, whitelist: true, stopAtFirstError: true, validationError: { target: false, value: false }, exceptionFactory: invalidRequest };

/** The one global pipe: bodies may hold only what is documented, unknown query parameters are ignored. */
export class RequestPipe extends ValidationPipe {
  private readonly bodies = new ValidationPipe({ ...SHARED, forbidNonWhitelisted: true });
  private readonly defaults = new Map<ArgumentMetadata['metatype'], unknown>();

  constructor() {
    super(SHARED);
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body') return this.body(value, metadata);
    if (metadata.type === 'query' && Object.keys(value as object).length === 0) return this.defaultsOf(value, metadata);
    // No id of ours holds what Postgres cannot even compare.
    if (metadata.type === 'param' && typeof value === 'string' && !isStorable(value)) throw new ApiError('not_found');
    return super.transform(value, metadata);
  }

  private async body(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ApiError('invalid_request', { message: 'The body must be a JSON object.' });
    }
    const inherited = inheritedMember(value, metadata.metatype?.prototype as object | undefined);
    if (inherited !== undefined) throw new ApiError('invalid_request', { message: `${inherited} is not a member of this request.`, param: inherited });
    try {
      return await this.bodies.transform(value, metadata);
    } catch (error) {
      // The transformer walks into every value; only absurdly deep nesting exhausts the stack.
      if (error instanceof RangeError) throw new ApiError('invalid_request', { message: 'The body is nested too deeply.' });
      throw error;
    }
  }

  /** Most reads say nothing in their query, which comes out the same each time: made once, and then never changed. */
  private async defaultsOf(nothing: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const known = this.defaults.get(metadata.metatype);
    if (known !== undefined) return known;
    const made: unknown = Object.freeze(await super.transform(nothing, metadata));
    this.defaults.set(metadata.metatype, made);
    return made;
  }
}

/** A member named like something every object has, or like a method of ours: the validator looks rules up by name, finds that and takes the member for a documented one. */
function inheritedMember(body: object, prototype: object = Object.prototype, path = ''): string | undefined {
  const own = Object.keys(body).find((key) => key in prototype);
  if (own !== undefined || path !== '') return own === undefined ? undefined : extended(path, own);
  for (const [key, member] of Object.entries(body)) {
    const found = typeof member === 'object' && member !== null ? inheritedMember(member as object, Object.prototype, key) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Problem {
  param: string;
  message: string;
}

function invalidRequest(errors: ValidationError[]): ApiError {
  const problems = errors.flatMap((error) => problemsOf(error, ''));
  const [first] = problems;
  return new ApiError('invalid_request', {
    ...(first !== undefined && { message: `${first.message}.`, param: first.param }),
    ...(problems.length > 1 && { details: { problems } }),
  });
}

function problemsOf(error: ValidationError, path: string): Problem[] {
  const param = extended(path, error.property);
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
    param,
    message: rule === 'whitelistValidation' ? `${param} is not a member of this request` : message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, param))];
}

function extended(path: string, property: string): string {
  if (path === '') return property;
  return /^\d+$/.test(property) ? `${path}[${property}]` : `${path}.${property}`;
}

import type { Json } from '../support/api';
import { breaksBetween, isAnnounced } from '../support/api-compatibility';
import { fileOf, lastRelease } from '../support/releases';
import { read } from './docs.markdown';

const [SIZE, STATE] = [
  { type: 'number', minimum: 1, maximum: 9 },
  { type: 'string', enum: ['on', 'off'] },
];
const PARTS = { type: 'array', items: { $ref: '#/components/schemas/Thing' } };
const Thing = { type: 'object', properties: { id: { type: 'integer' }, state: STATE, parts: PARTS }, required: ['id'] };
const Order = { anyOf: [{ type: 'object', properties: { size: SIZE, state: STATE } }, { type: 'null' }] };
const limit = { name: 'limit', schema: { type: 'integer', maximum: 10 } };
const json = (name: string) => ({ content: { json: { schema: { $ref: `#/components/schemas/${name}` } } } });
const get = { parameters: [limit], responses: { 200: json('Thing'), 404: {} } };
const put = { 'x-stability': 'experimental', responses: { 200: {} } };
const paths = { '/things': { get, post: { requestBody: json('Order'), responses: { 201: {} } }, put } };
const DOCUMENT = { paths, components: { schemas: { Thing, Order } } };

describe('The API', () => {
  it.each([
    ['paths', {}, '/things is gone'],
    ['paths./things.get', undefined, '/things.get is gone'],
    ['paths./things.put', undefined],
    ['paths./things.get.parameters', [], '/things.get.limit is gone'],
    ['paths./things.get.parameters.0.schema.type', 'number'],
    ['paths./things.get.parameters.0.schema.maximum', 9, '/things.get.limit has another maximum'],
    ['paths./things.post.requestBody.required', true, '/things.post.body is required now'],
    ['paths./things.get.responses.404', undefined, '/things.get.404 is gone'],
    ['components.schemas.Thing.properties.id', undefined, 'Thing.id is gone'],
    ['components.schemas.Thing.properties.id.type', 'number', 'Thing.id can now be number'],
    ['components.schemas.Thing.properties.state.enum', ['on', 'idle']],
    ['components.schemas.Thing.properties.state.enum', undefined, 'Thing.state has another enum'],
    ['components.schemas.Thing.properties.parts.items', STATE, 'Thing.parts can now be string'],
    ['components.schemas.Thing.properties.new', STATE],
    ['components.schemas.Thing.required', [], 'Thing.id is no longer required'],
    ['components.schemas.Order.anyOf.1', SIZE, 'Order can no longer be null'],
    ['components.schemas.Order.anyOf.0.required', ['size'], 'Order.size is required now'],
    ['components.schemas.Order.anyOf.0.properties.size', undefined, 'Order.size is gone'],
    ['components.schemas.Order.anyOf.0.properties.size.type', 'integer', 'Order.size can no longer be number'],
    ['components.schemas.Order.anyOf.0.properties.size.minimum', 2, 'Order.size has another minimum'],
    ['components.schemas.Order.anyOf.0.properties.state.enum', ['on'], 'Order.state has another enum'],
    ['components.schemas.Order.anyOf.0.properties.state.pattern', '^o'],
    ['components.schemas.Order.anyOf.0.properties.state.pattern', '^on', 'Order.state has another pattern'],
  ])('breaks or keeps its promise with %s: %j', (pointer, value, ...breaks) => {
    const after: Json = JSON.parse(JSON.stringify(DOCUMENT));
    const names = pointer.split('.');
    names.slice(0, -1).reduce((node, name) => node[name], after)[names.at(-1) ?? ''] = value;
    expect(breaksBetween(DOCUMENT, JSON.parse(JSON.stringify(after)))).toEqual(breaks);
  });

  it('has a break announced by its path or its member in backticks', () => {
    const isKnown = (text: string) => ['/api/v1/a.get is gone', 'A.ab.c is gone'].map((one) => isAnnounced(text, one));
    expect(isKnown('`GET /a` and `c`')).toEqual([true, true]);
    expect(isKnown('`/api/v1/a` and `ab.c`')).toEqual([true, true]);
    expect(isKnown('/a and c, `/api/v1/a/b` and `b.c`')).toEqual([false, false]);
  });

  it('keeps what the last release promised, except for what the changelog announces under Breaking', () => {
    const release = lastRelease();
    const texts = [fileOf(release, 'docs/openapi.json'), read('docs/openapi.json')];
    const [before, after] = texts.map((text): Json => JSON.parse(text));
    const [newer = ''] = read('CHANGELOG.md').split(`\n## [${release.version}]`);
    const breaking = newer.split(/^##+ /m).filter((part) => part.startsWith('Breaking\n'));
    expect(breaksBetween(before, after).filter((one) => !isAnnounced(breaking.join(), one))).toEqual([]);
  });
});

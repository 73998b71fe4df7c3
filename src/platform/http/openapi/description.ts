import { ERRORS } from '../../../common/errors';

const ERROR_ROWS = [...Map.groupBy(Object.entries(ERRORS), ([, { status }]) => status)]
  .map(([status, errors]) => `| ${status} | ${errors.map(([code]) => `\`${code}\``).join(', ')} |`)
  .join('\n');

/** The introduction of the API document, in Markdown. */
export const DESCRIPTION = `Sends one prompt to several language models at once and returns a structured comparison with latency, tokens and exact cost.
In the examples, \`$URL\` is the address of this service and \`$KEY\` your API key.

## Get a key

The first \`npm start\` on a machine without configuration prints a demo key, once. Operators create users and issue keys with the admin key (\`ADMIN_API_KEY\`):

\`\`\`sh
curl -s $URL/api/v1/admin/users -H "Authorization: Bearer $ADMIN_API_KEY" -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'
curl -s $URL/api/v1/admin/users/USER_ID/keys -H "Authorization: Bearer $ADMIN_API_KEY" -H 'Content-Type: application/json' -d '{"name":"laptop"}'
\`\`\`

To try operations on this page, press **Authorize** and paste the key alone, without "Bearer": a user's key under \`apiKey\`, the admin key under \`operator\`. The page forgets it when it is reloaded.

## First call

\`\`\`sh
curl -s $URL/api/v1/compare -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"prompt":"Say {input} in French.","input":"good morning","models":["sim-swift","sim-quill"]}'
\`\`\`

GET /api/v1/models lists the models that can be called; those of the provider \`simulator\` need no vendor and answer invented text. GET /api/v1/key says what a key may do and what is left of its limits.

## Watch it

With \`Accept: text/event-stream\`, POST /api/v1/compare answers while it runs, as server-sent events. This page shows a stream only when it has ended, so watch it in a terminal:

\`\`\`sh
curl -sN $URL/api/v1/compare -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H 'Accept: text/event-stream' \\
  -d '{"prompt":"Count to ten. [[sim:pace=20]]","models":["sim-swift","sim-sage"]}'
\`\`\`

| Event | Data |
| --- | --- |
| \`eval-started\` | \`{"eval_id": "eval_…", "models": ["sim-swift", "sim-sage"]}\` |
| \`delta\` | \`{"model": "sim-swift", "text": "One"}\`: more text of a model |
| \`result\` | the Result of a model, as soon as it finishes or fails |
| \`eval\` | the Eval, stored; the last event |
| \`error\` | the error body; the last event instead of \`eval\`. Browsers' \`EventSource\` gives a lost connection the same name |

With \`options.samples\` above 1, \`delta\` and \`result\` carry the number of their \`sample\`, from 0. The schema \`CompareEvent\` describes the events. A comment line is sent after 10 seconds without an event. A failure before the first event is an ordinary error response.
When the reader leaves, the run goes on, is stored and charged; it appears in GET /api/v1/evals. While it runs, GET /api/v1/runs/{eval_id} with \`Accept: text/event-stream\` streams it from its first event, in the process that runs it; another process answers 404, and the eval is there once it is stored.
A client that reconnects by itself (\`Last-Event-ID\`) gets 204 and starts nothing; with an \`Idempotency-Key\` it gets the run from its first event, or the stored eval.

## Money

Amounts are US dollars as exact decimals; read them as decimals, not as floats. A call costs what the vendor charges for it; the user is charged that plus a margin, or nothing for one of the month's free evals. Failed models cost nothing.
POST /api/v1/compare/estimate says what a compare costs at least and at most; it is never charged more. \`options.max_cost_usd\` refuses what could cost more.
402 is about money, 429 about waiting. With an \`Idempotency-Key\` a request can be repeated safely: the same key and body return the first eval for 24 hours, without another charge.

## Errors

Every error has one body: \`{"error": {"code", "message", "param"?, "details"?, "request_id"}}\`. Programs branch on \`code\`. A model that fails is not an error of the request: its Result has an \`error\` of its own.

| Status | Codes |
| --- | --- |
${ERROR_ROWS}

## Limits and headers

Requests are counted per key and minute, compares and estimates (with them POST /checks) apart from reads; a compare with samples counts as so many. \`RateLimit\` and \`RateLimit-Policy\` say what is left; 429 and 503 carry \`Retry-After\` in seconds.
Lists are paged by the header \`Link: <…>; rel="next"\`. Every response has \`X-Request-Id\`; a request may bring its own.`;

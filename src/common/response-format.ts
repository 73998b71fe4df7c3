/** The form in which an answer is asked for: any JSON, or JSON that a schema describes. */
export type ResponseFormat = { type: 'json' } | { type: 'json_schema'; schema: object };

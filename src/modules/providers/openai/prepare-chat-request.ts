import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { Effort } from '../../../common/effort';
import type { ResponseFormat } from '../../../common/response-format';
import type { ChatVendor } from '../chat-vendors';
import type { CompletionRequest } from '../provider';

const EFFORT_MEMBERS: Readonly<Record<ChatVendor['effortForm'], (effort: Effort) => object>> = {
  reasoning_effort: (effort) => ({ reasoning_effort: effort }),
  thinking: (effort) =>
    effort === 'none'
      ? { thinking: { type: 'disabled' } }
      : { thinking: { type: 'enabled' }, reasoning_effort: effort },
  reasoning: (effort) => ({ reasoning: { effort } }),
};

/** Without `strict`, under which vendors refuse many schemas. The name is required and has no effect. */
function chatFormat(format: ResponseFormat): ChatCompletionCreateParams['response_format'] {
  return format.type === 'json'
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema as Record<string, unknown> } };
}

/**
 * The body of a chat completions request. Vendors reject members that they do not know, so optional ones are left out.
 */
export function prepareChatRequest(
  request: CompletionRequest,
  vendor: Pick<ChatVendor, 'asksForUsage' | 'effortForm'>,
): ChatCompletionCreateParams {
  return {
    model: request.model,
    // OpenAI reads `system` as `developer` where a model knows only that; the other vendors have no `developer`.
    messages: [
      ...(request.system === undefined ? [] : [{ role: 'system' as const, content: request.system }]),
      ...(request.history ?? []),
      { role: 'user', content: request.prompt },
    ],
    // Without the option most vendors count nothing in a stream, and the eval could not be priced.
    ...(request.isStreamed && {
      stream: true,
      ...(vendor.asksForUsage && { stream_options: { include_usage: true } }),
    }),
    [request.dialect.maxTokensField]: request.maxTokens,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.reasoningEffort !== undefined && EFFORT_MEMBERS[vendor.effortForm](request.reasoningEffort)),
    ...(request.responseFormat !== undefined && { response_format: chatFormat(request.responseFormat) }),
  };
}

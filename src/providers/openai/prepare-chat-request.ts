import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { ChatVendor } from '../chat-vendors';
import type { CompletionRequest } from '../provider';

/** The body of a chat completions request. Vendors reject members that they do not know, so optional ones are left out. */
export function prepareChatRequest(request: CompletionRequest, vendor: Pick<ChatVendor, 'asksForUsage'>): ChatCompletionCreateParams {
  return {
    model: request.model,
    messages: [{ role: 'user', content: request.prompt }],
    // Without the option most vendors count nothing in a stream, and the eval could not be priced.
    ...(request.isStreamed && { stream: true, ...(vendor.asksForUsage && { stream_options: { include_usage: true } }) }),
    [request.dialect.maxTokensField]: request.maxTokens,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
  };
}

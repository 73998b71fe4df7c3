import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages';
import type { CompletionRequest } from '../provider';

/** The body of a Messages API request. The SDK's types follow its newest API version, which has no temperature; older versions take it. */
export function prepareMessageRequest(request: CompletionRequest): MessageCreateParams & { temperature?: number } {
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    messages: [{ role: 'user', content: request.prompt }],
    ...(request.isStreamed && { stream: true }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
  };
}

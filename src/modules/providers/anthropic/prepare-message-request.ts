import type { MessageCreateParams, OutputConfig } from '@anthropic-ai/sdk/resources/messages';
import type { Effort } from '../../../common/effort';
import type { CompletionRequest } from '../provider';
import { MIN_THINKING_BUDGET, thinkingBudget } from '../thinking-budget';

/**
 * The body of a Messages API request. The SDK's types follow its newest API version, which has no temperature; older
 * versions take it.
 */
export function prepareMessageRequest(request: CompletionRequest): MessageCreateParams & { temperature?: number } {
  const thinking =
    request.reasoningEffort === undefined ? undefined : thinkingMembers(request.reasoningEffort, request);
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    ...(request.system !== undefined && { system: request.system }),
    messages: [...(request.history ?? []), { role: 'user', content: request.prompt }],
    ...(request.isStreamed && { stream: true }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...thinking,
    ...(request.responseFormat?.type === 'json_schema' && {
      output_config: {
        ...thinking?.output_config,
        format: { type: 'json_schema', schema: request.responseFormat.schema as Record<string, unknown> },
      },
    }),
  };
}

/**
 * The members that ask for an effort: recent models take a word, older ones a number of tokens, and each has its own
 * way to switch thinking on and off.
 */
function thinkingMembers(
  effort: Effort,
  request: CompletionRequest,
): Pick<MessageCreateParams, 'thinking' | 'output_config'> {
  const { thinking } = request.dialect;
  if (effort === 'none') return { thinking: { type: thinking === 'between_tools' ? thinking : 'disabled' } };
  if (thinking === 'budget')
    return { thinking: { type: 'enabled', budget_tokens: thinkingBudget(effort, request) ?? MIN_THINKING_BUDGET } };
  return {
    ...(thinking === 'adaptive' && { thinking: { type: thinking } }),
    output_config: { effort: effort as OutputConfig['effort'] },
  };
}

/** The roles of the turns of a conversation. */
export const TURN_ROLES = ['user', 'assistant'] as const;

/** The most turns of a conversation before the prompt. */
export const MAX_TURNS = 100;

/** A turn of a conversation, as text. */
export interface Turn {
  role: (typeof TURN_ROLES)[number];
  content: string;
}

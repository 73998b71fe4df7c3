import type { KeyInUse } from '../../client/client';

type Spend = NonNullable<KeyInUse['limits']['key_spend']>;

/** The scopes of the key in use, and the rest of its limits this month. */
export function KeyFacts({
  keyInUse: { name, prefix, email, scopes, allowed_models: models, expires_at: expiresAt, limits },
}: {
  keyInUse: KeyInUse;
}) {
  const facts: readonly (readonly [label: string, text: string, title?: string])[] = [
    ['Key', `${name} (${prefix}…)`],
    ['User', email],
    ['May', scopes.join(', ')],
    ['Models', models === null ? 'all' : models.join(', ')],
    ['Expires', expiresAt === null ? 'never' : `${expiresAt.slice(0, 10)} (UTC)`, expiresAt ?? undefined],
    ['Free evals', `${limits.free_evals.remaining} of ${limits.free_evals.limit} left this month`, limits.month],
    ...spend('Key’s limit', limits.key_spend),
    ...spend('User’s limit', limits.user_spend),
  ];
  return (
    <dl class="key-facts">
      {facts.map(([label, text, title]) => [
        <dt key={label}>{label}</dt>,
        <dd key={`${label} text`} title={title}>
          {text}
        </dd>,
      ])}
    </dl>
  );
}

function spend(label: string, limit: Spend | null): [string, string][] {
  return limit === null ? [] : [[label, `$${limit.remaining_usd} of $${limit.limit_usd} left`]];
}

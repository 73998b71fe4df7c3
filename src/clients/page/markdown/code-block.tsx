import { CopyButton } from '../compare/copy-button';
import { codeTokens } from './code-tokens';

const MAX_NAME = 20;

/** A block of code with the name of its language and a button that copies it. */
export function CodeBlock({ code, info }: { code: string; info: string }) {
  const name = (/^[\w+#.-]+/.exec(info)?.[0] ?? '').slice(0, MAX_NAME);
  const block = (
    <pre tabIndex={0} aria-label="Code" role="group">
      <code>
        {codeTokens(code, name.toLowerCase()).map(({ kind, text }, index) =>
          kind === 'plain' ? (
            text
          ) : (
            <span key={index} class={`code-${kind}`}>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  );
  if (code.trim() === '') return block;
  return (
    <div class="code-block">
      <p class="code-head">
        <span>{name === '' ? 'code' : name}</span>
        <CopyButton text={() => code} what="Code" label="Copy this code" class="button-quiet">
          Copy
        </CopyButton>
      </p>
      {block}
    </div>
  );
}

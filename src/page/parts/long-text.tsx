/** A text of people under its label; a long one is folded to its beginning. */
export function LongText({ label, text }: { label: string; text: string }) {
  const isLong = text.length > 400 || text.split('\n', 6).length > 5;
  if (!isLong) return <div class="eval-text"><h2>{label}</h2><p dir="auto">{text}</p></div>;
  return (
    <details class="eval-text">
      <summary><h2>{label}</h2> <span class="eval-text-start"><bdi>{text.slice(0, 200).replace(/\s+/g, ' ')}…</bdi></span></summary>
      <p dir="auto">{text}</p>
    </details>
  );
}

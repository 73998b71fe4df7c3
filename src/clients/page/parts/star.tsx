/** Sets or takes the star of an eval. */
export function Star({ starred, label, onToggle }: { starred: boolean; label: string; onToggle: () => void }) {
  return (
    <button
      type="button"
      class="star"
      aria-pressed={starred}
      aria-label={label}
      title={starred ? 'Take the star' : 'Star this eval'}
      onClick={onToggle}
    >
      <span aria-hidden="true">{starred ? '★' : '☆'}</span>
    </button>
  );
}

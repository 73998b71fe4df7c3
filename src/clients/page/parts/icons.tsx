/** Small icons of the answers; each is beside words or in a named button. */
const PATHS = {
  expand: 'M2 6V2h4M14 10v4h-4M2 2l5 5M14 14 9 9',
  collapse: 'M7 3v4H3M9 13V9h4M7 7 2 2M9 9l5 5',
  copy: 'M5 5V2h9v9h-3M2 5h9v9H2z',
  calendar: 'M2 4h12v10H2zM2 7h12M5 2v3M11 2v3',
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

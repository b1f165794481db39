/** The mark of the service, as its favicon. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden focusable="false">
      <circle cx="16" cy="16" r="15" fill="#0f766e" />
      <circle cx="16" cy="16" r="11.5" fill="none" stroke="#5eead4" strokeWidth="1.5" />
      <path
        d="M10 21.5v-11l6 7 6-7v11"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

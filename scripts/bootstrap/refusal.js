/** A situation that the user can mend; the message is the whole of what is shown. */
export class Refusal extends Error {}

const SPECIAL: Record<string, string> = {
  approve_account: 'Approve an account',
  unapprove_account: 'Unapprove an account',
  freeze: 'Freeze an account',
  unfreeze: 'Unfreeze an account',
};

/** What an intent does, for people: `set_mint_limit` is "Set mint limit". @param kind `IntentKind` of the contract */
export function nameKind(kind: string): string {
  const words = SPECIAL[kind] ?? kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

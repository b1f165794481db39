/**
 * The key of an e-mail: two that differ in the case of ASCII letters alone are of one account. Other letters have no
 * case here, since languages do not agree on it: in Turkish the capital of `i` is not `I`.
 */
export const emailKey = (email: string): string =>
  email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * SQL: the key of a stored e-mail, by the same rule whatever locale the database has. The index `accounts_email_key` is
 * on it.
 */
export const EMAIL_KEY = 'lower(email collate "C")';

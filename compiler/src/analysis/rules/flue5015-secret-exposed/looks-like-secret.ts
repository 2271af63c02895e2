const PREFIXES = /^(?:(?:sk|pk|rk|gh[opsu]|github_pat|glpat|xox[abprs]|hf|gsk)[-_]|AIza|AKIA|ASIA|eyJ)/;
const PLACEHOLDER = /your|example|placeholder|change.?me|dummy|redacted|insert|<|>|\$\{|\*{3}|\.{3}|x{6}/i;
const TOKEN = /^[A-Za-z0-9_\-+=.]+$/;

/** A known prefix before something long, or 32 and more characters of every kind in one piece. */
export function looksLikeSecret(text: string): boolean {
  const token = text.replace(/^(?:Bearer|Basic|Token)\s+/i, '');
  if (!TOKEN.test(token) || PLACEHOLDER.test(token)) return false;
  const hasDigit = /\d/.test(token);
  if (PREFIXES.test(token) && token.length >= 20 && hasDigit) return true;
  return token.length >= 32 && hasDigit && /[a-z]/.test(token) && /[A-Z]/.test(token) && !token.includes('.');
}

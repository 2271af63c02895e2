/** A caller's text must not be able to forge a line of the log (RED-06). */
export function escapeControls(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

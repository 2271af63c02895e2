const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const style = (code) => (text) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);

export const bold = style(1);
export const dim = style(2);

export function printSection(title, what) {
  console.log(`\n${bold(title)}  ${dim(what)}`);
}

/** Each line below a section, set in a little. */
export function printBlock(text) {
  for (const line of text.trimEnd().split('\n')) console.log(line && `  ${line}`);
}

export function printTranscript(messages, settlement) {
  for (const message of messages) {
    if (message.display !== 'visible') continue;
    const speaker = message.role === 'user' ? 'you' : 'agent';
    for (const part of message.parts) printPart(speaker, part);
  }
  printLine('', dim(`${settlement.outcome}, submission ${settlement.submissionId}`));
}

function printPart(speaker, part) {
  if (part.type === 'text') return printLine(speaker, part.text);
  if (part.type !== 'dynamic-tool') return;
  printLine('tool', `${part.toolName}(${JSON.stringify(part.input)})`);
  const failed = part.state === 'output-error';
  printLine('', `${failed ? 'failed:' : '->'} ${failed ? part.errorText : JSON.stringify(part.output)}`);
}

function printLine(speaker, text) {
  const [first = '', ...rest] = text.split('\n');
  console.log(`  ${bold(speaker.padStart(5))}  ${first}`);
  for (const line of rest) console.log(line && `         ${line}`);
}

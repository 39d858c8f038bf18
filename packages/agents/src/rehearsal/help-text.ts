import { phrases } from './phrases.ts'

/** What `help` answers. */
export const helpText = [
  'I do what the sentences of a prompt say, one after the other. These I understand:',
  '',
  ...phrases.map(({ example, says }) => `- ${codeOf(example)} ${says}`),
  '',
  'A text in quotation marks is taken as it is; \\n in it is a new line. Files are those of the workspace.',
].join('\n')

// An example may have backticks of its own.
function codeOf(example: string): string {
  return example.includes('`') ? `\`\` ${example} \`\`` : `\`${example}\``
}

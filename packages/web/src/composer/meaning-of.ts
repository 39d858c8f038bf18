/** How long a command that somebody runs from here may take. */
export const shellSeconds = 30

export type Meaning = { is: 'shell'; command: string } | { is: 'say'; text: string }

/** What a text asks for when it is sent: `!` in front runs the rest as a command. Null if it says nothing. */
export function meaningOf(text: string, attachments: number): Meaning | null {
  const said = text.trim()
  if (said.startsWith('!')) {
    const command = said.slice(1).trim()
    return command === '' ? null : { is: 'shell', command }
  }
  return said === '' && attachments === 0 ? null : { is: 'say', text: said }
}

/** The time limit for a shell command sent from here, in seconds. */
export const shellSeconds = 30

export type Meaning = { is: 'shell'; command: string } | { is: 'say'; text: string }

/**
 * What sending a text does: `!` at the start runs the rest as a shell command. Null if there is nothing to send.
 */
export function meaningOf(text: string, attachments: number): Meaning | null {
  const said = text.trim()
  if (said.startsWith('!')) {
    const command = said.slice(1).trim()
    return command === '' ? null : { is: 'shell', command }
  }
  return said === '' && attachments === 0 ? null : { is: 'say', text: said }
}

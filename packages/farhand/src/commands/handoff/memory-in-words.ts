/** Where a run moves, and its agent; `isOurs`: one of our own agents, whose memory moves along. */
export type Going = { to: 'here' | 'cloud'; agent: string; isOurs: boolean }

/**
 * What the resting runner saves: there are no checkpoints on a device, and the memory of other agents is not ours to
 * move.
 */
export function restInWords({ to, isOurs }: Omit<Going, 'agent'>): string {
  if (to === 'here') return "Its runner rests: its last checkpoint and its agent's memory are saved."
  return isOurs ? "Its runner rests: its agent's memory is saved." : 'Its runner rests.'
}

/** How the agent learns in the new place what was said before; null if its memory moves along. */
export function memoryInWords({ to, agent, isOurs }: Going): string | null {
  if (isOurs) return null
  return to === 'here'
    ? `What ${agent} remembers by itself stays there; with your next message it is told here what was said and done.`
    : `${agent} goes on in the session that it had there, if it did; with your next message it is told what was said and done since.`
}

/** Where a run goes, which agent it has, and whether that is one of ours, which take what they remember along. */
export type Going = { to: 'here' | 'cloud'; agent: string; isOurs: boolean }

/** What resting saves, as far as it does: on a device nobody makes checkpoints, and others' memory is not ours to take. */
export function restInWords({ to, isOurs }: Omit<Going, 'agent'>): string {
  if (to === 'here') return 'Its runner rests: its last checkpoint, and what its agent remembers, are saved.'
  return isOurs ? 'Its runner rests: what its agent remembers is saved.' : 'Its runner rests.'
}

/** How an agent knows in the other place what was said before; null if it does so by itself. */
export function memoryInWords({ to, agent, isOurs }: Going): string | null {
  if (isOurs) return null
  return to === 'here'
    ? `What ${agent} remembers by itself stays there; with your next message it is told here what was said and done.`
    : `${agent} goes on in the session that it had there, if it did; with your next message it is told what was said and done since.`
}

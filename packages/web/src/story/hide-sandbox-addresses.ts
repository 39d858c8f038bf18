/** How git reaches a repository from inside of a sandbox: through a port of its loopback. */
const throughDoor = /\bhttps?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/git\/(https?)\//g
/** The same for the hub, and for all that leaves by the proxy. What ends a clause behind an address is no part of it. */
const loopback =
  /\b(?:https?|wss?):\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+(?:\/(?:[^\s'"]*[^\s'".,:;!?)\]}>])?)?/g
// Only from where a path begins: one tried again from each of its slashes takes minutes for a long one.
const sockets = /(?<![\w.@+/-])(?:\/+[\w.@+-]+)+\/+(?:hub|proxy)\.sock\b/g

/**
 * What went wrong in a run, without addresses that mean something only inside its sandbox: who reads it knows a repository by
 * its own address, and nothing of the ports and sockets between sandbox and hub. On a computer of the user's they stay.
 * `place` is where the run worked then.
 */
export function hideSandboxAddresses(text: string, place: string | null): string {
  const known = text.replace(throughDoor, '$1://').replace(sockets, '(a socket of the sandbox)')
  return place === 'none' ? known : known.replace(loopback, '(an address inside the sandbox)')
}

export const hideSandboxAddressesOrNull = (text: string | null, place: string | null): string | null =>
  text === null ? null : hideSandboxAddresses(text, place)

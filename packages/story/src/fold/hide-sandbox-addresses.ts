/** How git reaches a repository from inside a sandbox: through a local port. */
const throughDoor = /\bhttps?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/git\/(https?)\//g
/** The same for the hub and the egress proxy. Punctuation after an address is not part of it. */
const loopback =
  /\b(?:https?|wss?):\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+(?:\/(?:[^\s'"]*[^\s'".,:;!?)\]}>])?)?/g
// Only from the start of a path: retrying at each slash of a long path would take minutes.
const sockets = /(?<![\w.@+/-])(?:\/+[\w.@+-]+)+\/+(?:hub|proxy)\.sock\b/g

/**
 * An error message without addresses that only mean something inside the sandbox: the user knows a repository by its own
 * URL, and nothing of the ports and sockets of a sandbox. On the user's own computer (`place` is `none`) they stay.
 */
export function hideSandboxAddresses(text: string, place: string | null): string {
  const known = text.replace(throughDoor, '$1://').replace(sockets, '(a socket of the sandbox)')
  return place === 'none' ? known : known.replace(loopback, '(an address inside the sandbox)')
}

export const hideSandboxAddressesOrNull = (text: string | null, place: string | null): string | null =>
  text === null ? null : hideSandboxAddresses(text, place)

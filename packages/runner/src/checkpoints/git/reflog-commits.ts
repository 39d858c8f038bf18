/** A commit in a reflog. */
export type ReflogCommit = { sha: string; message: string }

const line = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\t]*\t(.*)$/
// Entries that only move HEAD to an existing commit are no news.
const isMove =
  /^(checkout|reset|clone|branch|pull:? fast-forward|rebase[^:]*\((start|abort|finish)\)|Branch:)/i
const isNothingNew = /: Fast-forward$/

/** The commits in a reflog, oldest first, each with its subject as far as git noted it. */
export function commitsInReflog(reflog: string): ReflogCommit[] {
  return reflog.split('\n').flatMap((text) => {
    const [, sha, what] = line.exec(text) ?? []
    if (!sha || what === undefined || isMove.test(what) || isNothingNew.test(what)) return []
    const colon = what.indexOf(': ')
    return [{ sha, message: colon === -1 ? what : what.slice(colon + 2) }]
  })
}

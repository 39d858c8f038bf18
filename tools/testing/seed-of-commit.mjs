import { spawnSync } from 'node:child_process'

/** For sources without a repository. */
const withoutCommit = 1

/**
 * The seed of what tests leave to chance: the same for every run of a commit, so that a failed run fails again, and another one for each
 * commit, so that new cases are tried all the time.
 * @param {string} folder
 */
export function seedOfCommit(folder) {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' })
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : withoutCommit
}

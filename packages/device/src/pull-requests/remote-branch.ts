import { Trouble } from '../trouble/trouble.ts'
import { gitAsUser } from './git-as-user.ts'
import type { Ended, StartedBy } from './program-as-user.ts'
import type { RunToFinish } from './run-to-finish.ts'
import { runTrailer } from './run-trailer.ts'

export class RemoteBranch {
  readonly name: string
  readonly #run: RunToFinish
  readonly #by: StartedBy

  private constructor(name: string, run: RunToFinish, by: StartedBy) {
    this.name = name
    this.#run = run
    this.#by = by
  }

  /** The named remote, or the one that git would push to. `otherwise`: what the user can do without one. */
  static async of(run: RunToFinish, named: unknown, by: StartedBy, otherwise: string): Promise<RemoteBranch> {
    const git = async (...args: string[]) => {
      const ended = await gitAsUser(args, run.repository, by)
      return ended?.code === 0 ? ended.out.trim() : ''
    }
    const setting = async (name: string) => (await git('config', '--get', name)) || null
    const remotes = (await git('remote')).split('\n').filter((name) => name !== '')
    if (named !== undefined) {
      if (remotes.includes(String(named))) return new RemoteBranch(String(named), run, by)
      throw new Trouble(
        'usage',
        `There is no remote ${JSON.stringify(named)} here.`,
        remotes.length > 0 ? `There is: ${remotes.join(', ')}.` : 'git remote add origin <address> adds one.',
      )
    }
    const branch = await git('symbolic-ref', '--quiet', '--short', 'HEAD')
    const found = whichRemote({
      remotes,
      pushRemote: branch ? await setting(`branch.${branch}.pushRemote`) : null,
      pushDefault: await setting('remote.pushDefault'),
      follows: branch ? await setting(`branch.${branch}.remote`) : null,
    })
    if (found !== null) return new RemoteBranch(found, run, by)
    throw remotes.length === 0
      ? new Trouble(
          'usage',
          `${run.repository.folder} has no remote to push to.`,
          `git remote add origin <address>, or ${otherwise}.`,
        )
      : new Trouble('usage', `Which remote? There are ${remotes.join(', ')}.`, 'Name one with --remote.')
  }

  /** The push address, after git's `insteadOf` rules. */
  async address(): Promise<string> {
    return (await this.#git('remote', 'get-url', '--push', this.name)).out.trim()
  }

  /** The commit of a remote branch, fetched with its objects; null if there is no such branch. */
  async find(branch: string): Promise<string | null> {
    const ref = `refs/heads/${branch}`
    const listed = await this.#git('ls-remote', '--refs', this.name, ref)
    if (listed.code !== 0) throw this.#refused(listed)
    const sha = listed.out
      .split('\n')
      .find((line) => line.endsWith(`\t${ref}`))
      ?.split('\t')[0]
    if (!sha) return null
    const { repository } = this.#run
    if (await repository.has(sha, this.#by.stop)) return sha
    // Without `--refmap=` git would move the user's remote-tracking branches.
    const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--refmap=']
    const fetched = await this.#git('fetch', ...quiet, this.name, ref)
    if (fetched.code !== 0) throw this.#refused(fetched)
    return sha
  }

  /** Whether this run pushed the commit, from here or elsewhere, and nothing was added to it since. */
  async isOurs(sha: string, pushed: string | null): Promise<boolean> {
    const { repository, tip, base, at } = this.#run
    const { stop } = this.#by
    if (sha === pushed) return true
    const message = await repository.text(['log', '--max-count=1', '--format=%B', sha], { signal: stop })
    if (message.split('\n').includes(runTrailer(at.run))) return true
    if (tip === null || !(await repository.isAncestor(sha, tip, stop))) return false
    return base === null || !(await repository.isAncestor(sha, base, stop))
  }

  /** Returns the server's output. Only the commit that `lease` names may be replaced. */
  async push(sha: string, branch: string, lease: string | null): Promise<string> {
    const ref = `refs/heads/${branch}`
    const force = lease === null ? [] : [`--force-with-lease=${ref}:${lease}`]
    const ended = await this.#git('push', ...force, this.name, `${sha}:${ref}`)
    if (ended.code !== 0) throw this.#refused(ended)
    return ended.said
  }

  async #git(...args: string[]): Promise<Ended> {
    // The user was asked about changed hooks before anything else.
    const ended = await gitAsUser(args, this.#run.repository, this.#by, { hooks: args[0] === 'push' })
    if (!ended) throw new Trouble('failed', 'git is not installed.', 'Install git.')
    return ended
  }

  #refused({ said, out }: Ended): Trouble {
    const { message, nextStep } = whyPushFailed(said || out, this.name)
    return new Trouble('failed', message, nextStep)
  }
}

/** Git's settings about where a branch is pushed to. */
export type RemoteSettings = {
  remotes: readonly string[]
  /** `branch.<name>.pushRemote` of the current branch, and `remote.pushDefault`. */
  pushRemote: string | null
  pushDefault: string | null
  follows: string | null
}

export function whichRemote({ remotes, pushRemote, pushDefault, follows }: RemoteSettings): string | null {
  const said = [pushRemote, pushDefault, follows].find((name) => name !== null && remotes.includes(name))
  if (said != null) return said
  if (remotes.length === 1) return remotes[0]!
  return remotes.includes('origin') ? 'origin' : null
}

/** Explains from git's output why a push failed, and what to do. */
export function whyPushFailed(said: string, remote: string): { message: string; nextStep: string } {
  const text = said.trim()
  const lines = text
    .split('\n')
    .filter((line) => !/^(hint|To |Done|Everything|error: failed to push)/.test(line))
  const quoted = lines.slice(-4).join('\n  ')
  const is = (pattern: RegExp) => pattern.test(text)
  if (is(/Authentication failed|could not read Username|Permission denied|terminal prompts disabled|403/i))
    return {
      message: `${remote} rejects your credentials:\n  ${quoted}`,
      nextStep: `Make sure that \`git push\` works here, then try again.`,
    }
  if (is(/stale info|non-fast-forward|fetch first/i))
    return {
      message: `Another user or run has pushed to this branch in the meantime. Nothing was overwritten.`,
      nextStep: 'Try again, or name another branch with --branch.',
    }
  if (is(/pre-push|hook declined|remote rejected/i))
    return {
      message: `A hook or a rule refuses the push:\n  ${quoted}`,
      nextStep: 'Fix what it says, or name another branch with --branch.',
    }
  if (
    is(
      /does not appear to be a git repository|Could not read from remote|Could not resolve host|unable to access/i,
    )
  )
    return {
      message: `${remote} cannot be reached:\n  ${quoted}`,
      nextStep: '`git remote -v` shows its address; --remote names another one.',
    }
  return { message: `Git could not push to ${remote}:\n  ${quoted}`, nextStep: 'Nothing was pushed.' }
}

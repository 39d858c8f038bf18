import { runRefs } from '@farhand/device/commits/run-refs'
import type { RunToFinish } from '@farhand/device/pull-requests/run-to-finish'
import { takeBranch } from '@farhand/device/pull-requests/take-branch'
import { Trouble } from '@farhand/device/trouble/trouble'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { CommandContext } from '../context/command-context.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { paint } from '../printing/paint.ts'
import { shownText } from '../printing/shown-text.ts'
import { wrapWords } from '../printing/wrap-words.ts'
import { untilStopped } from './until-stopped.ts'
import { withRun } from './with-run.ts'

type Flags = ReachFlags & { take?: unknown; drop?: unknown }

type Listed = {
  branch: string
  ref: string
  sha: string
  commits: { sha: string; subject: string; at: string }[]
}

const mostCommits = 200

/** Lists the agent's commits and how to take them; a branch of the user's moves only with `--take`. */
export const commitsCommand = (named: string | undefined, flags: Flags, context: CommandContext) =>
  untilStopped(flags, context, () =>
    withRun(named, flags, context, async (run) => {
      if (flags.drop) return await drop(run, flags, context)
      const listed = await branchesOf(run, context)
      if (flags.take !== undefined) return await take(run, listed, flags, context)
      if (flags.json) {
        const { base, at, commits } = run
        const notYetThere = commits.notYetThere.map(({ sha, message }) => ({ sha, message: message ?? null }))
        return context.out(`${JSON.stringify({ run: at.run, base, branches: listed, notYetThere })}\n`)
      }
      context.out(wrapWords(inWords(run, listed, context), context.columns))
    }),
  )

async function branchesOf(run: RunToFinish, { stop: signal }: CommandContext): Promise<Listed[]> {
  const { repository, at, base } = run
  const names = runRefs(at.run)
  const listed: Listed[] = []
  for (const [ref, sha] of await repository.refs(names.folder, signal)) {
    if (names.branchOf(ref) === null && ref !== names.head) continue
    const range = base === null ? [sha] : [`${base}..${sha}`]
    const format = ['--format=%H%x09%cI%x09%s', `--max-count=${mostCommits}`]
    const lines = (await repository.text(['log', ...format, ...range], { signal })).split('\n')
    const commits = lines.flatMap((line) => {
      const [commit, time, ...subject] = line.split('\t')
      return commit && time ? [{ sha: commit, at: time, subject: subject.join('\t') }] : []
    })
    listed.push({ branch: names.branchOf(ref) ?? 'HEAD', ref, sha, commits })
  }
  return listed
}

function inWords(run: RunToFinish, listed: readonly Listed[], context: CommandContext): string {
  const { bold, dim } = paint(context.color)
  const names = runRefs(run.at.run)
  const lines: string[] = []
  for (const { branch, ref, commits } of listed) {
    lines.push(`${bold(lineInWords(branch))}  ${dim(lineInWords(names.short(ref)))}`)
    for (const { sha, subject } of commits) lines.push(`  ${sha.slice(0, 8)} ${shownText(subject)}`)
  }
  const late = run.commits.notYetThere
  if (late.length > 0)
    lines.push(dim(`On their way: ${late.map(({ message, sha }) => lineInWords(message ?? sha)).join(', ')}`))
  if (listed.length === 0)
    return `${[...lines, 'The agent has no commits here. Uncommitted files: `git status` in a linked folder.'].join('\n')}\n`
  const { branch, ref, commits } = listed[0]!
  // The agent chose the branch's name, and the user will paste this into a shell.
  const [short, name] = [shellWord(names.short(ref)), shellWord(branch)]
  const call = context.called.farhand
  lines.push(
    dim('Your branches have not moved. To take the commits:'),
    dim(`  ${call} commits ${runInWords(run.at.run)} --take ${name}`),
    dim(`    your own ${lineInWords(branch)} goes there, if it only goes forward`),
    dim(`  git merge ${short}`),
    ...(commits[0]
      ? [
          dim(
            `  git cherry-pick ${commits.length > 1 ? shellWord(`${names.short(names.base)}..${names.short(ref)}`) : short}`,
          ),
        ]
      : []),
  )
  return `${lines.join('\n')}\n`
}

async function take(
  run: RunToFinish,
  listed: readonly Listed[],
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const wanted = String(flags.take)
  const found = listed.find(({ branch }) => branch === wanted && branch !== 'HEAD')
  if (!found)
    throw new Trouble(
      'usage',
      `The agent has committed nothing to ${JSON.stringify(wanted)}.`,
      listed.length > 0
        ? `It has to: ${listed.map(({ branch }) => branch).join(', ')}.`
        : 'It has committed nothing that is here.',
    )
  const took = await takeBranch(run, found.branch, found.sha, context)
  if (flags.json) return context.out(`${JSON.stringify({ run: run.at.run, ...took })}\n`)
  const { branch, was, sha } = took
  if (was === sha) return context.out(`Your ${lineInWords(branch)} is already there.\n`)
  const back = was ? ` To go back: git branch --force ${shellWord(branch)} ${was.slice(0, 10)}` : ''
  const undo = took.isCheckedOut ? ` To go back: git reset ${was?.slice(0, 10)}` : back
  context.out(`Your ${lineInWords(branch)} is now at ${sha.slice(0, 10)}.${undo}\n`)
}

/** Deletes the run's refs. Git removes the commits later, unless something else refers to them. */
async function drop(run: RunToFinish, flags: Flags, context: CommandContext): Promise<void> {
  const { repository, at } = run
  const { folder } = runRefs(at.run)
  const refs = [...(await repository.refs(folder, context.stop)).keys()]
  const input = refs.map((ref) => `delete ${ref}\n`).join('')
  if (input) await repository.write(['update-ref', '--stdin'], { input, signal: context.stop })
  if (flags.json) return context.out(`${JSON.stringify({ run: at.run, dropped: refs })}\n`)
  context.out(
    refs.length > 0 ? `${folder} is removed from this repository.\n` : 'There was nothing to drop.\n',
  )
}

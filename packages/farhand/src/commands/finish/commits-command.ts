import { runRefs } from '@farhand/device/commits/run-refs'
import { dropRunRefs, type RunBranch, runBranches } from '@farhand/device/pull-requests/run-branches'
import type { RunToFinish } from '@farhand/device/pull-requests/run-to-finish'
import { takeBranch } from '@farhand/device/pull-requests/take-branch'
import { Trouble } from '@farhand/device/trouble/trouble'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { shownText } from '../../terminal/printing/shown-text.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { untilStopped } from './until-stopped.ts'
import { withFoundRun } from './with-found-run.ts'

type Flags = ReachFlags & { take?: unknown; drop?: unknown }

/** Lists the agent's commits and how to take them; a branch of the user's moves only with `--take`. */
export const commitsCommand = (named: string | undefined, flags: Flags, context: CommandContext) =>
  untilStopped(flags, context, () =>
    withFoundRun(named, flags, context, async (run) => {
      if (flags.drop) return await drop(run, flags, context)
      const listed = await runBranches(run, context.stop)
      if (flags.take !== undefined) return await take(run, listed, flags, context)
      if (flags.json) {
        const { base, at, commits } = run
        const notYetThere = commits.notYetThere.map(({ sha, message }) => ({ sha, message: message ?? null }))
        return context.out(`${JSON.stringify({ run: at.run, base, branches: listed, notYetThere })}\n`)
      }
      context.out(wrapWords(inWords(run, listed, context), context.columns))
    }),
  )

function inWords(run: RunToFinish, listed: readonly RunBranch[], context: CommandContext): string {
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
  listed: readonly RunBranch[],
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

async function drop(run: RunToFinish, flags: Flags, context: CommandContext): Promise<void> {
  const { at } = run
  const { folder } = runRefs(at.run)
  const refs = await dropRunRefs(run, context.stop)
  if (flags.json) return context.out(`${JSON.stringify({ run: at.run, dropped: refs })}\n`)
  context.out(
    refs.length > 0 ? `${folder} is removed from this repository.\n` : 'There was nothing to drop.\n',
  )
}

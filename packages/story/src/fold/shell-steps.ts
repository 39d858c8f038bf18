import type { SandboxOutput, Shell } from '@farhand/protocol/methods/shell'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { directText, joinedText } from '../items/cut-text.ts'
import type { CutText, ShellItem } from '../items/story.ts'
import { addSandboxOutput } from './report-steps.ts'
import type { Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'

const nameOf = (call: string) => `shell ${call}`

function begin(draft: StoryDraft, { command, id: call }: Shell, { id, timestamp, by }: SeenEvent): void {
  const item: ShellItem = {
    kind: 'shell',
    id,
    at: timestamp,
    call,
    by,
    command,
    output: [],
    exitCode: null,
    isOver: false,
  }
  draft.add(item, nameOf(call))
}

type Piece = ShellItem['output'][number]

/** Joins consecutive pieces of the same kind: a program that writes letter by letter makes many. */
function withPiece(output: readonly Piece[], said: CutText | null, isError: boolean): readonly Piece[] {
  if (said === null || said.text === '') return output
  const last = output.at(-1)
  return last?.isError === isError
    ? [...output.slice(0, -1), { ...joinedText(last, said), isError }]
    : [...output, { ...said, isError }]
}

function print(draft: StoryDraft, said: SandboxOutput, event: SeenEvent): void {
  const { id, exitCode } = said
  const { notification } = event
  const name = nameOf(id ?? '')
  const shell = draft.find('shell', name)
  if (!shell) {
    addSandboxOutput(draft, said, event)
    return
  }
  const { params = {} } = notification
  const printed = withPiece(shell.output, directText(params, 'stdout'), false)
  const output = withPiece(printed, directText(params, 'stderr'), true)
  // A command ends once; its background processes may still print after that.
  const isEnd = exitCode !== undefined && !shell.isOver
  draft.replace(name, { ...shell, output, ...(isEnd && { exitCode, isOver: true }) })
}

/** Commands that ran in the original run end in the fork. */
export function endShells(draft: StoryDraft): void {
  for (const item of draft.items)
    if (item.kind === 'shell' && !item.isOver) draft.replace(nameOf(item.call), { ...item, isOver: true })
}

export const shellSteps: Steps = {
  shell: begin,
  sandbox_output: print,
}

import { trimEndChars } from '@farhand/kit/trim-end-chars'
import { FileContent } from '@farhand/protocol/methods/files'
import { Artifact } from '@farhand/protocol/methods/reports'
import { SandboxOutput } from '@farhand/protocol/methods/shell'

const mostLines = 20

type Params = Record<string, unknown>

/** The end of a text that may be long, and how much of it is left out. */
export function lastLines(text: string): string {
  const lines = trimEndChars(text, '\n').split('\n')
  if (lines.length <= mostLines) return lines.join('\n')
  return [`… ${lines.length - mostLines} more lines`, ...lines.slice(-mostLines)].join('\n')
}

/** What a program handed in beside the conversation. */
export function artifactInWords(params: Params): string[] {
  const said = Artifact.safeParse(params).data
  if (!said) return []
  const { kind, name, content, hash } = said
  const title = `Artifact: ${name ?? kind}`
  if (hash !== undefined || content === undefined) return [hash === undefined ? title : `${title} (${hash})`]
  return [title, lastLines(typeof content === 'string' ? content : JSON.stringify(content, null, 2))]
}

/** A file that a person asked for. */
export function fileContentInWords(params: Params): string[] {
  const said = FileContent.safeParse(params).data
  if (!said) return []
  if (said.missing) return [`There is no file ${said.path}.`]
  const title = `Content of ${said.path}`
  return said.content === undefined ? [`${title} (${said.hash})`] : [title, lastLines(said.content)]
}

/** What the sandbox printed for no command of a person's. */
export function sandboxOutputInWords(params: Params): string[] {
  const said = SandboxOutput.safeParse(params).data
  if (!said) return []
  const printed = [said.stdout, said.stderr].filter((text) => text !== undefined && text.trim() !== '')
  const lines = printed.map((text) => lastLines(text!))
  const { exitCode } = said
  return exitCode === undefined || exitCode === 0 || exitCode === null
    ? lines
    : [...lines, `It ended with exit code ${exitCode}.`]
}

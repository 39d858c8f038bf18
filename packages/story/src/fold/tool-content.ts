import { plainText } from '@farhand/protocol/text/plain-text'
import { markerOf } from '../items/cut-text.ts'
import type { ToolContent, ToolItem } from '../items/story.ts'
import { asList, asNumber, asObject, asPlain } from '../values/untyped-values.ts'
import { imageOf } from './word-steps.ts'

/** The blob content for a marker; null if the value is no marker (W24). */
function blobOf(value: unknown, named: ReadonlySet<unknown>): Extract<ToolContent, { is: 'blob' }> | null {
  const marker = markerOf(value, named)
  if (!marker) return null
  const { head, _blob: hash, size, json = false } = marker
  return { is: 'blob', head, hash, size, isJson: json }
}

function ofBlock(block: unknown, named: ReadonlySet<unknown>): ToolContent[] {
  const { type, text, uri, name, title, resource } = asObject(block)
  if (type === 'text') {
    const blob = blobOf(text, named)
    return blob ? [blob] : typeof text === 'string' && text !== '' ? [{ is: 'text', text }] : []
  }
  const image = imageOf(block)
  if (image) return [{ is: 'image', image }]
  if (type === 'resource_link' && typeof uri === 'string')
    return [{ is: 'link', name: asPlain(title) ?? asPlain(name) ?? plainText(uri), uri }]
  if (type !== 'resource') return []
  const { text: inside, uri: at } = asObject(resource)
  const blob = blobOf(inside, named)
  if (blob) return [blob]
  if (typeof inside === 'string') return [{ is: 'text', text: inside }]
  return typeof at === 'string' ? [{ is: 'link', name: plainText(at), uri: at }] : []
}

function ofOne(content: unknown, named: ReadonlySet<unknown>): ToolContent[] {
  const whole = blobOf(content, named)
  if (whole) return [whole]
  const { type, content: block, path, oldText, newText } = asObject(content)
  if (type === 'content') {
    const blob = blobOf(block, named)
    return blob ? [blob] : ofBlock(block, named)
  }
  if (type !== 'diff' || typeof path !== 'string') return []
  // A side of a diff that is too large for the log is in a blob: then only that text can be shown.
  const blob = blobOf(newText, named) ?? blobOf(oldText, named)
  if (blob) return [blob]
  return typeof newText === 'string'
    ? [{ is: 'diff', path: plainText(path), before: asPlain(oldText), after: plainText(newText) }]
    : []
}

/** The content that a tool shows; `blobs` are the blobs that its event names, and no other value counts as a marker. */
export function toolContent(content: unknown, blobs: unknown): readonly ToolContent[] {
  const named = new Set(asList(blobs))
  const whole = blobOf(content, named)
  if (whole) return [whole]
  return asList(content).flatMap((one) => ofOne(one, named))
}

/** The files that the call is about. */
export const toolPlaces = (locations: unknown): ToolItem['places'] =>
  asList(locations).flatMap((one) => {
    const { path, line } = asObject(one)
    return typeof path === 'string' && path !== '' ? [{ path, line: asNumber(line) }] : []
  })

/** The command line of a tool; agents report it in different ways. */
export function toolCommand(input: unknown): string | null {
  const { command, cmd } = asObject(input)
  const said = command ?? cmd
  if (Array.isArray(said))
    return said.every((word) => typeof word === 'string') ? plainText(said.join(' ')) : null
  return asPlain(said)
}

/** The exit code of its command; agents report it in different ways. */
export function toolExit(output: unknown, meta: unknown): number | null {
  const { exitCode, exit_code: snake, metadata } = asObject(output)
  const { exit_code: ofTerminal } = asObject(asObject(meta).terminal_exit)
  for (const said of [exitCode, snake, asObject(metadata).exit, ofTerminal]) {
    if (typeof said === 'number') return said
  }
  return null
}

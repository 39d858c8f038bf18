import { plainText } from '@farhand/protocol/text/plain-text'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { directText, joinedText, noCuts, placedText, shownText } from '../items/cut-text.ts'
import type { ContentImage, CutText, PlanItem, PlanStep } from '../items/story.ts'
import { asList, asObject, asText } from '../values/untyped-values.ts'
import { rawStep, type Step, type Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'

/** An image inside an ACP block. Linked images are not loaded. */
export function imageOf(block: unknown): ContentImage | null {
  const { type, mimeType, data } = asObject(block)
  if (type !== 'image' || typeof mimeType !== 'string' || typeof data !== 'string' || data === '') return null
  return { mimeType, data }
}

/** The readable text of a block that is no text block. */
function blockText(params: Record<string, unknown>): CutText {
  const { type, name, title, uri, resource } = asObject(params.content)
  const uncut = (text: string) => ({ text, cuts: noCuts })
  if (type === 'resource_link')
    return uncut(`[${asText(title) ?? asText(name) ?? uri}](${asText(uri) ?? ''})`)
  if (type !== 'resource') return uncut('')
  const { text, uri: at } = asObject(resource)
  return placedText(text, params) ?? uncut(asText(at) ?? '')
}

// Most events of a long run are chunks, so they are parsed by hand and copy only what changes.
const chunk =
  (kind: 'words' | 'thought'): Step =>
  (draft, { id, timestamp, notification: { params = {} } }) => {
    const direct = directText(params, 'text')
    if (direct === null) return
    const image = imageOf(params.content)
    const said = direct.text === '' ? blockText(params) : direct
    if (said.text === '' && image === null) return
    const messageId = asText(params.messageId)
    const { growing } = draft
    const item = growing ? draft.items[growing.at] : undefined
    const isSame =
      item?.kind === kind &&
      (messageId === null || growing?.messageId === null || growing?.messageId === messageId)
    if (isSame) draft.fresh?.addText(growing!.at, item, shownText(said))
    if (isSame && item.kind === 'words') {
      const images = image ? [...item.images, image] : item.images
      draft.put(growing!.at, { ...item, ...joinedText(item, said), images })
    } else if (isSame && item.kind === 'thought') {
      draft.put(growing!.at, { ...item, ...joinedText(item, said), endedAt: timestamp })
    } else {
      draft.endWords()
      draft.growing = { at: draft.items.length, messageId }
      const begun = { id, at: timestamp, ...said, isOpen: true }
      if (kind === 'words') draft.add({ kind, ...begun, images: image ? [image] : [] })
      else draft.add({ kind, ...begun, endedAt: timestamp })
    }
  }

const stepOf = (entry: unknown): PlanStep[] => {
  const { content, status, priority } = asObject(entry)
  if (typeof content !== 'string') return []
  const known = status === 'in_progress' || status === 'completed' ? status : 'pending'
  return [{ text: plainText(content), status: known, priority: asText(priority) }]
}

/** The plan of a turn keeps its place, and changes there. */
export function plan(draft: StoryDraft, update: Record<string, unknown>, { id, timestamp }: SeenEvent): void {
  const steps = asList(update.entries).flatMap(stepOf)
  const name = `plan ${draft.turnSince}`
  const before = draft.find('plan', name)
  if (before) draft.replace(name, { ...before, steps, changedAt: timestamp })
  if (before || steps.length === 0) return
  draft.endWords()
  const item: PlanItem = { kind: 'plan', id, at: timestamp, steps, changedAt: timestamp }
  draft.add(item, name)
}

export const wordSteps: Steps = {
  agent_message_chunk: rawStep(chunk('words')),
  agent_thought_chunk: rawStep(chunk('thought')),
}

import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Briefing } from '../briefing/briefing.ts'
import { type FileChanged, filesChangedNotice } from '../briefing/files-changed-notice.ts'
import type { Message } from '../orders/orders.ts'

/**
 * What the agent knows of what happened before the message. `since`: it remembers everything up to this event. `isAgain`:
 * it was interrupted while it worked on the message. `isInto`: the message is sent into the running turn, and may never
 * reach the agent, so notices that are given only once are left out.
 */
export type AgentKnowledge = { isBriefed: boolean; since?: number | null; isAgain: boolean; isInto?: true }

/** Builds what the agent is sent for a message. */
export type BuildPrompt = (message: Message, knows: AgentKnowledge) => Promise<ContentBlock[]>

export type PromptParts = {
  /** The attachments of the message in the order of these hashes; null for one that is lost. */
  attached: (hashes: ReadonlySet<BlobHash>) => AsyncIterable<{ bytes: Uint8Array | null }>
  briefing: Briefing
  changed: readonly FileChanged[]
  /** The notice that the setup command failed, if it did. */
  setup?: string | null
  takes: { image?: boolean | undefined; embeddedContext?: boolean | undefined }
}

const again =
  'You were interrupted while you worked on the message below. Look at what is done already, and continue.'
/** Larger attachments are only mentioned by name. */
const mostTextBytes = 256 * 1024

// Some agents join the blocks they are sent without any separator.
const apart = (text: string) => `${text}\n\n`

/** What an agent is sent for a message: the briefing and notices it needs, then the user's message and attachments. */
export async function promptBlocks(
  message: Message,
  { isBriefed, since = null, isAgain }: AgentKnowledge,
  { attached, briefing, changed, setup, takes }: PromptParts,
): Promise<ContentBlock[]> {
  const isTold = isBriefed || since !== null
  const about = { messageId: message.id, isAgain, ...(since !== null && !isBriefed && { since }) }
  const record = isTold ? briefing.text(about) : ''
  const notices = { setup: setup ?? '', 'files-changed': filesChangedNotice(changed) }
  const first = record || (isAgain ? again : '')
  const embeds = takes.embeddedContext === true
  const added: ContentBlock[] = []
  const wanted = message.attachments.map(({ hash }) => hash)
  let nth = 0
  for await (const { bytes } of attached(new Set(wanted))) {
    const hash = [...new Set(wanted)][nth++]
    for (const attachment of message.attachments) {
      if (attachment.hash === hash) added.push(blockOf(attachment, bytes, takes))
    }
  }
  const texts = [
    first,
    ...(embeds ? [] : Object.values(notices)),
    // Texts that are not the user's end before the user's: an agent that joins blocks would lose the border.
    ...added.flatMap((block) => (block.type === 'text' ? block.text : [])),
    message.content,
  ]
  const beside = added.filter(({ type }) => type !== 'text')
  const isLast = beside.length === 0
  const blocks: ContentBlock[] = texts
    .filter((text) => text.trim() !== '')
    .map((text, nth, all) => ({ type: 'text', text: isLast && nth === all.length - 1 ? text : apart(text) }))
  // A notice is better sent as a resource than as words of the user.
  const asides = embeds ? Object.entries(notices).filter(([, text]) => text !== '') : []
  // Gemini puts the URI of a resource in front of the text that follows.
  const [words] = blocks
  if (asides.length > 0 && words?.type === 'text') words.text = `\n\n${words.text}`
  return [...asides.map(([name, text]) => resource(name, 'text/plain', apart(text))), ...blocks, ...beside]
}

function blockOf(
  { name, mimeType = 'text/plain', hash }: Attachment,
  bytes: Uint8Array | null,
  takes: PromptParts['takes'],
): ContentBlock {
  if (bytes && takes.image && mimeType.startsWith('image/'))
    return { type: 'image', mimeType, data: Buffer.from(bytes).toString('base64') }
  const isText = bytes !== null && bytes.length <= mostTextBytes && !bytes.includes(0)
  const text = isText
    ? new TextDecoder().decode(bytes)
    : `(${name} was attached and cannot be shown here: ${bytes ? `${bytes.length} bytes of ${mimeType}` : 'it is gone'})`
  if (!takes.embeddedContext)
    return { type: 'text', text: `The user has attached the file "${name}" to the message below:\n\n${text}` }
  return resource(`${hash}/${encodeURIComponent(name)}`, mimeType, text)
}

const resource = (place: string, mimeType: string, text: string): ContentBlock => ({
  type: 'resource',
  resource: { uri: `farhand:${place}`, mimeType, text },
})

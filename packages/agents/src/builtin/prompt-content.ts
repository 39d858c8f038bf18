import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { ModelMessage } from 'ai'

type UserContent = Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string>

/** A prompt as the model gets it; an unsupported part is named, so that the model can say so. */
export function promptContent(blocks: readonly ContentBlock[]): UserContent {
  return blocks.map((block) => {
    switch (block.type) {
      case 'text':
        return { type: 'text', text: block.text }
      case 'image':
        return { type: 'image', image: block.data, mediaType: block.mimeType }
      case 'resource': {
        const { resource } = block
        const text = 'text' in resource ? resource.text : '(not a text)'
        return { type: 'text', text: `<file uri="${resource.uri}">\n${text}\n</file>` }
      }
      case 'resource_link':
        return { type: 'text', text: `[${block.name}](${block.uri})` }
      default:
        return { type: 'text', text: `(something of type ${block.type}, which cannot be shown to you)` }
    }
  })
}

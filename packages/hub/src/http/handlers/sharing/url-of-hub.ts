import { type Exchange, header } from '../../exchange/exchange.ts'
import type { HubParts } from '../../hub-parts/hub-parts.ts'

/** The address of this hub, as the caller reaches it. */
export const urlOfHub = ({ config }: HubParts, { req }: Exchange): string =>
  config.publicUrl ?? `http://${header(req, 'host')}`

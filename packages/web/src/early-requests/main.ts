import { place } from './early-responses.ts'
import { isKnownHere } from './last-user.ts'
import { askAhead } from './send-early-requests.ts'
import { sessionKey } from './session-key.ts'

place.farhandAhead = askAhead({
  origin: location.origin,
  path: location.pathname,
  isLogWanted: !isKnownHere() && document.visibilityState === 'visible',
  fetch: (url, init) => fetch(url, init),
  sessionKey,
})

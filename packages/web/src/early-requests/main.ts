import { place } from './early-responses.ts'
import { hasLastUser } from './last-user.ts'
import { sendEarlyRequests } from './send-early-requests.ts'
import { sessionKey } from './session-key.ts'

place.farhandAhead = sendEarlyRequests({
  origin: location.origin,
  path: location.pathname,
  isLogWanted: !hasLastUser() && document.visibilityState === 'visible',
  fetch: (url, init) => fetch(url, init),
  sessionKey,
})

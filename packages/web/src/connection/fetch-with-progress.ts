import type { Fetch } from '@farhand/client/requests/hub'

/** A `fetch` that reports upload progress, which the browser's own cannot. Outside a browser it reports nothing. */
export function fetchWithProgress(onProgress: (fraction: number) => void, plain: Fetch = fetch): Fetch {
  return (input, init) =>
    typeof XMLHttpRequest !== 'undefined' && init?.method === 'PUT' && init.body instanceof Blob
      ? put(String(input), init, init.body, onProgress)
      : plain(input, init)
}

function put(
  url: string,
  { headers, signal }: RequestInit,
  body: Blob,
  onProgress: (fraction: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    request.open('PUT', url)
    request.responseType = 'arraybuffer'
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener(
      'progress',
      ({ loaded, total }) => total > 0 && onProgress(loaded / total),
    )
    request.addEventListener('load', () => resolve(answerOf(request)))
    request.addEventListener('error', () => reject(new TypeError('the upload failed')))
    request.addEventListener('abort', () => reject(signal?.reason))
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', stop))
    if (signal?.aborted) return reject(signal.reason)
    signal?.addEventListener('abort', stop)
    request.send(body)
  })
}

function answerOf(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const at = line.indexOf(':')
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim())
  }
  // The Response constructor throws if a status without a body is given one.
  const body = request.status === 204 || request.status === 304 ? null : request.response
  return new Response(body, { status: request.status, headers })
}

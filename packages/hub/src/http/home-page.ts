/** Runs in the browser. The token stands behind the `#`, so it was never sent as part of an address. */
export const homeScript = `
const say = (text) => { document.getElementById('state').textContent = text }
async function signIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token) {
    history.replaceState(null, '', location.pathname)
    const answer = await fetch('/api/sign-in', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }),
    })
    if (!answer.ok) return say((await answer.json()).error.message)
  }
  const me = await fetch('/api/me')
  if (!me.ok) return say('You are not signed in. Open the link that the hub printed when it first started.')
  const { items } = await (await fetch('/api/projects')).json()
  say('You are signed in. Projects: ' + (items.map((project) => project.name).join(', ') || 'none yet') + '.')
}
signIn().catch(() => say('The hub did not answer.'))
`

export const homePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farhand</title>
<style>
  :root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif }
  body { max-width: 34rem; margin: 18vh auto; padding: 0 1.25rem }
  h1 { font-size: 1.4rem; margin: 0 0 .5rem }
  p { margin: .5rem 0 }
</style>
<h1>Farhand</h1>
<p>This is a hub. It is up and answering.</p>
<p id="state">Looking who you are…</p>
<p><a href="/api/openapi.json">What it can be asked</a></p>
<script>${homeScript}</script>
</html>
`

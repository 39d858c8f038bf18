/** Runs in the browser. The token stands behind the `#`, so it was never sent as part of an address. */
export const homeScript = `
const most = 20
const say = (text) => { document.getElementById('state').textContent = text }
const show = (id) => { document.getElementById(id).hidden = false }
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + '.'

async function signIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token) {
    history.replaceState(null, '', location.pathname)
    const answer = await fetch('/api/sign-in', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }),
    })
    if (!answer.ok) {
      // What the message advises stands below, in the words of a page.
      say(sentence((await answer.json()).error.message.split('; ')[0]))
      return show('lost')
    }
  }
  const me = await fetch('/api/me')
  if (!me.ok) {
    say('You are not signed in. Open the link that the hub printed when it first started.')
    return show('lost')
  }
  const { name, role } = await me.json()
  say('You are signed in as ' + name + ' (' + role + ').')
  list(await (await fetch('/api/projects')).json())
}

function list({ items, next }) {
  show('projects')
  const add = (text) => {
    const item = document.createElement('li')
    item.textContent = text
    document.getElementById('list').append(item)
  }
  for (const project of items.slice(0, most)) add(project.name)
  const rest = items.length - most
  if (items.length === 0) add('None yet.')
  if (rest > 0) add(next ? 'And more than ' + rest + ' more.' : 'And ' + rest + ' more.')
}

signIn().catch(() => say('The hub did not answer.'))
`

// A hand that reaches over: the dot is far, the arc is at hand.
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6feb"/><path d="M7 24a14 14 0 0 1 14-14" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/><circle cx="24" cy="9" r="3.5" fill="#fff"/></svg>`

export const homePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farhand</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style>
  :root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif }
  body { max-width: 34rem; margin: clamp(2rem, 14vh, 9rem) auto 3rem; padding: 0 1.25rem; overflow-wrap: anywhere }
  h1 { font-size: 1.4rem; margin: 0 0 .5rem }
  h2 { font-size: 1rem; margin: 1.25rem 0 .25rem }
  p { margin: .5rem 0 }
  ul { margin: 0; padding-left: 1.25rem }
  code { font-size: .9em }
  .foot { margin-top: 1.5rem }
</style>
<h1>Farhand</h1>
<p>This is a hub. It is up and answering.</p>
<p id="state">Looking who you are…</p>
<p id="lost" hidden>Lost the link? <code>npx farhand user token owner</code> makes a new one.</p>
<section id="projects" hidden>
<h2>Your projects</h2>
<ul id="list"></ul>
</section>
<p class="foot"><a href="/api/openapi.json">API description</a></p>
<script>${homeScript}</script>
</html>
`

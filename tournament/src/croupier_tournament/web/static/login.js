// Who visits.

import { ask, go, html, useState, useTitle } from "./lib.js";

export function Login() {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState(null);
  useTitle("Log in");
  const send = async (event) => {
    event.preventDefault();
    try {
      await ask("/api/login", { method: "POST", body: { token } });
      setToken("");
      go("/");
      location.reload();
    } catch (error) {
      setProblem(error);
    }
  };
  return html`<h1>Log in</h1>
    <p>With the token that <code>croupier bot create</code> has shown. You may do here what it lets you do at the game server.</p>
    <form class="form" onSubmit=${send}>
      <label for="token">Token</label>
      <input id="token" type="password" autocomplete="off" required value=${token} onInput=${(e) => setToken(e.target.value)}
        aria-invalid=${problem ? "true" : undefined} aria-describedby=${problem ? "token-problem" : undefined} />
      ${problem && html`<p id="token-problem" class="problem" role="alert">${problem.message}</p>`}
      <button type="submit">Log in</button>
    </form>`;
}

export function Logout({ role }) {
  const leave = async () => {
    await ask("/api/logout", { method: "POST", body: {} });
    location.reload();
  };
  return html`<button class="link" onClick=${leave}>Log out${role ? ` (${role})` : ""}</button>`;
}

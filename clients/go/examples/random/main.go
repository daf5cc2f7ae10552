// Random is the bot that every other one should beat: it takes any legal action, each as likely as the others.
package main

import (
	"math/rand/v2"

	"croupier"
)

func main() {
	croupier.Main(croupier.Bot{Choose: choose})
}

func choose(decision *croupier.Decision) (croupier.Choice, error) {
	return croupier.Index(rand.IntN(decision.NumActions())), nil
}

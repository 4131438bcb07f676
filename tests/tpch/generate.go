package tpch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Change inserts (+1) or deletes (−1) a row.
type Change struct {
	Row    []any
	Weight int64
}

// Growth is what enters in one trigger: changes by table name.
type Growth map[string][]Change

// Generate makes the tables at a scale factor (1 = six million lines) in parts. From the
// second part on, one order in twenty of those that are there is deleted, with its lines.
func Generate(seed uint64, scale float64, parts int) []Growth {
	g := &generator{r: rand.New(rand.NewPCG(seed, 22)), scale: scale, parts: make([]Growth, parts)}
	for i := range g.parts {
		g.parts[i] = Growth{}
	}
	g.places()
	g.suppliers()
	g.customers()
	g.partsAndOffers()
	g.orders()
	g.deletions()
	return g.parts
}

type generator struct {
	r      *rand.Rand
	scale  float64
	parts  []Growth
	placed []placed // orders, in the order of their parts
}

// placed is an order with its lines and the part in which they all are.
type placed struct {
	order []any
	lines []linePlace
	at    int
}

type linePlace struct {
	row []any
	at  int
}

func (g *generator) count(base int) int { return max(1, int(float64(base)*g.scale)) }

// add puts a row into a part drawn at random, and tells which.
func (g *generator) add(table string, row []any) int {
	at := g.r.IntN(len(g.parts))
	g.put(at, table, row, 1)
	return at
}

func (g *generator) put(at int, table string, row []any, weight int64) {
	g.parts[at][table] = append(g.parts[at][table], Change{row, weight})
}

func (g *generator) one(words []string) string { return words[g.r.IntN(len(words))] }

func (g *generator) between(lo, hi int) int64 { return int64(lo + g.r.IntN(hi-lo+1)) }

func (g *generator) comment(special string) string {
	words := []string{g.one(nouns), g.one(nouns), g.one(nouns)}
	if g.r.IntN(12) == 0 {
		words[1] = special
	}
	return strings.Join(words, " ")
}

func (g *generator) places() {
	for i, name := range regions {
		g.add("region", []any{int64(i), name, g.comment("deposits")})
	}
	for i, n := range nations {
		g.add("nation", []any{int64(i), n.name, int64(n.region), g.comment("deposits")})
	}
}

func (g *generator) phone(nation int64) string {
	return fmt.Sprintf("%d-%03d-%03d-%04d", nation+10, g.between(100, 999), g.between(100, 999), g.between(1000, 9999))
}

func (g *generator) suppliers() {
	for i := 1; i <= g.count(10_000); i++ {
		nation := g.between(0, 24)
		g.add("supplier", []any{int64(i), fmt.Sprintf("Supplier#%09d", i), g.one(nouns), nation, g.phone(nation),
			g.between(-99999, 999999), g.comment("Customer some Complaints")})
	}
}

func (g *generator) customers() {
	for i := 1; i <= g.count(150_000); i++ {
		nation := g.between(0, 24)
		g.add("customer", []any{int64(i), fmt.Sprintf("Customer#%09d", i), g.one(nouns), nation, g.phone(nation),
			g.between(-99999, 999999), g.one(segments), g.comment("deposits")})
	}
}

// partsAndOffers makes each part with four suppliers.
func (g *generator) partsAndOffers() {
	suppliers := g.count(10_000)
	for i := 1; i <= g.count(200_000); i++ {
		mfgr := g.between(1, 5)
		g.add("part", []any{int64(i), g.one(colours) + " " + g.one(colours) + " " + g.one(colours), fmt.Sprintf("Manufacturer#%d", mfgr),
			fmt.Sprintf("Brand#%d%d", mfgr, g.between(1, 5)), g.one(types1) + " " + g.one(types2) + " " + g.one(types3), g.between(1, 50),
			g.one(containers1) + " " + g.one(containers2), price(i), g.comment("deposits")})
		for k := range 4 {
			g.add("partsupp", []any{int64(i), supplierOf(i, k, suppliers), g.between(1, 9999), g.between(100, 100000), g.comment("deposits")})
		}
	}
}

func price(part int) int64 { return int64(90000 + (part/10)%20001 + 100*(part%1000)) }

// supplierOf is the k-th supplier of a part, as the benchmark spreads them.
func supplierOf(part, k, suppliers int) int64 {
	return int64((part+k*(suppliers/4+(part-1)/suppliers))%suppliers + 1)
}

func day(y int, m time.Month, d int) int64 {
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400
}

func (g *generator) orders() {
	first, last, today := day(1992, 1, 1), day(1998, 8, 2), day(1995, 6, 17)
	customers := g.count(150_000)
	for i := 1; i <= g.count(1_500_000); i++ {
		key := int64((i/8)*32 + i%8)
		date := first + g.r.Int64N(last-first-151)
		lines, total, shipped := g.lines(key, date, today)
		status := "P"
		if shipped == len(lines) {
			status = "F"
		} else if shipped == 0 {
			status = "O"
		}
		customer := g.between(1, customers)
		for customer%3 == 0 && customers > 3 { // one customer in three never orders
			customer = g.between(1, customers)
		}
		row := []any{key, customer, status, total, date, g.one(priorities), fmt.Sprintf("Clerk#%09d", g.between(1, 1000)), int64(0),
			g.comment("special packages requests")}
		p := placed{order: row, lines: lines, at: g.add("orders", row)}
		for _, l := range lines {
			p.at = max(p.at, l.at)
		}
		g.placed = append(g.placed, p)
	}
}

func (g *generator) lines(key, date, today int64) (lines []linePlace, total int64, shipped int) {
	parts, suppliers := g.count(200_000), g.count(10_000)
	for n := range g.between(1, 7) {
		part := int(g.between(1, parts))
		quantity := g.between(1, 50)
		ship := date + g.between(1, 121)
		commit, receipt := date+g.between(30, 90), ship+g.between(1, 30)
		flag, status := "N", "O"
		if receipt <= today {
			flag = g.one([]string{"R", "A"})
		}
		if ship <= today {
			status, shipped = "F", shipped+1
		}
		row := []any{key, int64(part), supplierOf(part, g.r.IntN(4), suppliers), n + 1, quantity * 100, quantity * price(part),
			g.between(0, 10), g.between(0, 8), flag, status, ship, commit, receipt, g.one(instructions), g.one(modes), g.comment("deposits")}
		lines = append(lines, linePlace{row, g.add("lineitem", row)})
		total += quantity * price(part)
	}
	return lines, total, shipped
}

// deletions takes away orders that are complete, in a later part.
func (g *generator) deletions() {
	for _, p := range g.placed {
		if p.at+1 >= len(g.parts) || g.r.IntN(20) > 0 {
			continue
		}
		at := p.at + 1 + g.r.IntN(len(g.parts)-p.at-1)
		g.put(at, "orders", p.order, -1)
		for _, l := range p.lines {
			g.put(at, "lineitem", l.row, -1)
		}
	}
}

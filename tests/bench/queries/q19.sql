-- mode: changelog
SELECT auction, bidder, price, date_time,
  row_number() OVER (PARTITION BY auction ORDER BY price DESC, date_time, bidder) AS rank_number
FROM bid
QUALIFY rank_number <= 10

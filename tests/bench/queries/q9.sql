-- mode: changelog
SELECT a.id, a.item_name, a.seller, a.category, b.auction, b.bidder, b.price, b.date_time AS bid_time
FROM auction a JOIN bid b ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
QUALIFY row_number() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.date_time, b.bidder) = 1

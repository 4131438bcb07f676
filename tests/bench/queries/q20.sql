-- mode: changelog
SELECT b.auction, b.bidder, b.price, b.channel, b.date_time, a.item_name, a.initial_bid, a.seller, a.category
FROM bid b JOIN auction a ON b.auction = a.id
WHERE a.category = 10
